# A script may be for any interpreter.

task "bash" {
  interpreter = "/bin/bash"
  check       = "[[ -f bash.txt ]]"
  apply       = "words=(a b c); echo \"${words[@]:1}\" > bash.txt"
}

task "strict" {
  exec_flags = ["-e", "-u"]
  check      = "test -f strict.txt"
  apply      = "x=1\necho \"$x\" > strict.txt\n"
}

task.query "sed" {
  interpreter = "/bin/sed"
  check_flags = []
  exec_flags  = ["-n", "-e", "s/^#//p"]
  query       = "# only comments\ncome out\n#here\n"
}

file.content "sed" {
  destination = "sed.txt"
  content     = "{{lookup `task.query.sed.status.stdout`}}"
}
