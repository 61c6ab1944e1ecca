param "kind" {}

param "file" {
  default = "{{param `kind`}}.conf"
}

switch "kind" {
  case "eq (param `kind`) `cache`" "cache" {
    task.query "port" {
      query = "printf 6081"
    }

    file.content "config" {
      destination = "{{param `file`}}"
      content     = "cache on {{lookup `task.query.port.status.stdout`}}\n"
    }
  }

  default {
    task.query "port" {
      query = "printf 80"
    }

    file.content "config" {
      destination = "{{param `file`}}"
      content     = "plain\n"
    }
  }
}
