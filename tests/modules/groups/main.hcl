# Members of a group never run at the same time, in whatever module they are.

task "start" {
  check = "test -f counter"
  apply = "echo 0 > counter"
}

module "step.hcl" "first" {
  params {
    name = "first"
  }

  depends = ["task.start"]
}

module "step.hcl" "second" {
  params {
    name = "second"
  }

  depends = ["task.start"]
}

task "third" {
  check   = "test -f third.done"
  apply   = "mkdir lock && read n < counter && echo $((n + 1)) > counter && rmdir lock && touch third.done"
  group   = "counter"
  depends = ["task.start"]
}

# After all of them.
file.content "done" {
  destination = "done.txt"
  content     = "all three have counted\n"
  depends     = ["module.first", "module.second", "task.third"]
}
