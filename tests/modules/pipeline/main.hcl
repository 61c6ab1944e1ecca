# Each task makes something of what the one before it has made.

task "words" {
  check = "test -f 1.txt"
  apply = "printf '%s\\n' pear apple fig apple > 1.txt"
}

task "sorted" {
  check   = "test -f 2.txt"
  apply   = "sort -u 1.txt > 2.txt"
  depends = ["task.words"]
}

task.query "count" {
  query   = "cat 2.txt 2>/dev/null | wc -l"
  depends = ["task.sorted"]
}

file.content "summary" {
  destination = "summary.txt"
  content     = "{{lookup `task.query.count.status.stdout`}}"
}

task "archive" {
  check   = "test -f all.txt"
  apply   = "cat 1.txt 2.txt summary.txt > all.txt"
  depends = ["file.content.summary"]
}
