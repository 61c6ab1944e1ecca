# Waiting for a whole module, for one resource in it, and a module that waits.

task "before" {
  check = "test -f 1-before"
  apply = "ls > 1-before"
}

module "steps.hcl" "base" {
  params {
    prefix = "2-base"
  }

  depends = ["task.before"]
}

module "steps.hcl" "app" {
  params {
    prefix = "3-app"
  }

  depends = ["module.base"]
}

# All of the module.
task "after" {
  check   = "test -f 4-after"
  apply   = "ls [123]* > 4-after"
  depends = ["module.app"]
}

# One resource of it.
task "early" {
  check   = "test -f early"
  apply   = "cat 2-base-one > early"
  depends = ["module.base/task.one"]
}
