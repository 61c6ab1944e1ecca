# A plain name also means a resource in the case that is taken.

param "size" {
  type    = "number"
  default = 10
}

switch "memory" {
  case "gt (len (param `size`)) 2" "large" {
    task.query "limit" {
      query = "printf 64G"
    }
  }

  case "eq (param `size`) `10`" "middle" {
    task.query "limit" {
      query = "printf 8G"
    }

    # In the same case.
    file.content "note" {
      destination = "note.txt"
      content     = "{{lookup `task.query.limit.status.stdout`}} is in the middle\n"
    }
  }

  default {
    task.query "limit" {
      query = "printf 1G"
    }
  }
}

file.content "config" {
  destination = "limit.conf"
  content     = "limit = {{lookup `task.query.limit.status.stdout`}}\n"
}

# The whole path means the same, as long as that case is taken.
file.content "explicit" {
  when        = param.size == 10
  destination = "explicit.txt"
  content     = "{{lookup `switch.memory.case.middle.task.query.limit.status.stdout`}}\n"
}
