# Which case is taken is known only when a query has run; what reads of it waits.

param "value" {
  default = "a"
}

task.query "value" {
  interpreter = "/bin/bash"
  query       = "echo -n '{{param `value`}}'"
}

switch "value" {
  case "eq `a` `{{lookup `task.query.value.status.stdout`}}`" "first" {
    file.content "result" {
      destination = "first.txt"
      content     = "the first case\n"
    }

    task "more" {
      check   = "test -f more.txt"
      apply   = "cat first.txt first.txt > more.txt"
      depends = ["file.content.result"]
    }
  }

  case "eq `b` (lookup `task.query.value.status.stdout`)" "second" {
    file.content "result" {
      destination = "second.txt"
      content     = "the second case\n"
    }
  }

  default {
    file.content "result" {
      destination = "other.txt"
      content     = "neither\n"
    }
  }
}

# After the whole switch, whichever way it went.
file.content "after" {
  destination = "after.txt"
  content     = "{{lookup `file.content.result.content`}}"
  depends     = ["switch.value"]
}
