# Variables of a script: as a block, as a map, and with a name that is a template.

param "prefix" {
  default = "APP"
}

task "block" {
  check = "test -f block.txt"
  apply = "env | grep '^APP' | sort > block.txt"

  env {
    "{{param `prefix`}}_NAME" = "block"
    APP_QUERY                 = "a=1&b=2"
    "APP_EMPTY"               = ""
  }
}

task "map" {
  check = "test -f map.txt"
  apply = "echo $GREETING, $NAME > map.txt"
  env   = { GREETING = "Hello", NAME = "{{param `prefix` | printf `%s!`}}" }
}

task "expression" {
  check = "test -f expression.txt"
  apply = "echo $A $B > expression.txt"
  env   = merge({ A = "one", B = "x" }, { B = tostring(1 + 1) })
}

task.query "where" {
  dir   = "/"
  query = "pwd"
}

file.content "where" {
  destination = "where.txt"
  content     = "{{lookup `task.query.where.status.stdout`}}"
}
