
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

function filter() {
  const text = search.value.trim().toLowerCase();
  const pressed = chips.find((c) => c.getAttribute("aria-pressed") === "true");
  const state = pressed ? pressed.dataset.state : "";
  let any = false;
  for (const root of document.querySelectorAll(".tree > li")) {
    any = show(root, text, state, false) || any;
  }
  document.getElementById("nothing").hidden = any;
  const conflicts = document.getElementById("conflicts");
  if (conflicts) {
    const articles = [...conflicts.querySelectorAll("article")];
    for (const a of articles) {
      a.hidden = !named(a, text) || state !== "" && a.dataset.state !== state;
    }
    conflicts.hidden = articles.every((a) => a.hidden);
  }
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
