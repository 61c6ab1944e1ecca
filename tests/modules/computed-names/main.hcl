# Names that are put together when they are needed. What is looked up has to be named in `depends`.

param "stage" {
  default = "test"
}

param "host_test" {
  default = "localhost"
}

param "host_live" {
  default = "example.com"
}

task.query "test" {
  query = "printf 'one copy'"
}

task.query "live" {
  query = "printf 'three copies'"
}

file.content "config" {
  destination = "config.txt"
  content     = "{{param (printf `host_%s` (param `stage`))}}: {{lookup (printf `task.query.%s.status.stdout` (param `stage`))}}\n"
  depends     = ["param.host_test", "param.host_live", "task.query.test", "task.query.live"]
}
