# What commands print goes into files. Names of exports match in any case, as in the original.

task.query "answer" {
  query = "expr 6 '*' 7"
}

task.query "words" {
  interpreter = "/bin/bash"
  query       = "for word in c a b; do echo $word; done | sort"
}

# Of a task, the status is that of the script that ran last.
task "made" {
  check = "cat made.txt"
  apply = "echo made | tee made.txt"
}

file.content "report" {
  destination = "report.txt"

  content = <<EOF
answer: {{lookup `task.query.answer.status.stdout`}}
words: {{lookup 'task.query.words.Status.Stdout' | split "\n" | join "-"}}
exit code: {{lookup `task.query.answer.STATUS.ExitStatus`}}
made: {{lookup `task.made.status.stdout`}}
EOF
}

# The same with an expression, and a whole record of exports.
file.content "short" {
  destination = "short.txt"
  content     = format("%05.1f %s\n", tonumber(trim(task.query.answer.status.stdout, "\n")), task.made.status.exitstatus)
}
