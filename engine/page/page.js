
"use strict";
const search = document.getElementById("search");
const chips = [...document.querySelectorAll(".chip")];
const named = (e, text) => e.dataset.name.toLowerCase().includes(text);

// show shows an object if it has the name and the state, or something above it has the name, or something below is shown.
function show(item, text, state, within) {
  within = within || named(item, text);
  let shown = within && (state === "" || item.dataset.state === state);
  for (const child of item.querySelectorAll(":scope > details > ul > li")) {
    shown = show(child, text, state, within) || shown;
  }
  item.hidden = !shown;
  return shown;
}

// narrow hides what in a section has not the name or not the state, and the section if nothing is left.
function narrow(id, selector, text, state) {
  const section = document.getElementById(id);
  if (!section) {
    return;
  }
  const items = [...section.querySelectorAll(selector)];
  for (const i of items) {
    i.hidden = !named(i, text) || state !== "" && !` ${i.dataset.state} `.includes(` ${state} `);
  }
  for (const p of section.querySelectorAll(":scope > p:has(> a)")) {
    p.hidden = ![...p.querySelectorAll("a")].some((a) => !a.hidden);
  }
  section.hidden = items.every((i) => i.hidden);
}

function filter() {
  const text = search.value.trim().toLowerCase();
  const pressed = chips.find((c) => c.getAttribute("aria-pressed") === "true");
  const state = pressed ? pressed.dataset.state : "";
  let any = false;
  for (const root of document.querySelectorAll(".tree > li")) {
    any = show(root, text, state, false) || any;
  }
  document.getElementById("nothing").hidden = any;
  narrow("first", "a", text, state);
  narrow("grid", "a", text, state);
  narrow("conflicts", "article", text, state);
  narrow("changes", "article", text, state);
}

search.addEventListener("input", filter);
for (const chip of chips) {
  chip.addEventListener("click", () => {
    const was = chip.getAttribute("aria-pressed") === "true";
    for (const other of chips) {
      other.setAttribute("aria-pressed", String(other === chip && !was));
    }
    filter();
  });
}
function unfold(open) {
  for (const d of document.querySelectorAll("details")) {
    d.open = open || d.parentElement.parentElement.classList.contains("tree");
  }
}
document.getElementById("unfold").addEventListener("click", () => unfold(true));
document.getElementById("fold").addEventListener("click", () => unfold(false));
