# What to do about the pull requests of one git repository, a step a line. The input are those that are open, as
# [{id, branch, title, body}]. $report is the report of variants sync, $repository the address as the report has it, and
# $mark the text by which the pull requests of this fleet are known: those of people are left alone.
def plain: (. // "") | gsub("\r"; "") | sub("\\s+$"; "");

. as $open
| [$report[] | (.variants, .removals)[]?.pullRequest | select(.repository? == $repository)
  | .body = (.body | plain) + "\n\n" + $mark] as $asked
| ($asked[] as $a | ([$open[] | select(.branch == $a.branch)] | .[0]) as $is
  | if $is == null then $a + {do: "open"}
    elif ($is.body | plain | contains($mark) | not) then empty
    elif [$is.title, ($is.body | plain)] != [$a.title, $a.body] then $a + {do: "update", id: $is.id}
    else empty end),
  ($open[] | select((.body | plain | contains($mark)) and (.branch | IN($asked[].branch) | not))
  | {do: "close", id, branch})
