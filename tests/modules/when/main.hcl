# What is not wanted is left out, and so is what is in a module that is not wanted.

param "full" {
  type    = "bool"
  default = false
}

param "color" {
  default = "red"
}

file.content "always" {
  destination = "always.txt"
  content     = "always\n"
}

file.content "full" {
  when        = param.full
  destination = "full.txt"
  content     = "full\n"
}

# In the words of a predicate.
file.content "red" {
  when        = "eq (param `color`) `red`"
  destination = "red.txt"
  content     = "red\n"
}

module "extra.hcl" "extra" {
  when = param.full && param.color != "red"
}

task.query "kind" {
  query = "test -f always.txt && printf 'there' || printf 'not yet'"
}

# Known only when the query has run.
file.content "late" {
  when        = task.query.kind.status.exitstatus == 0
  destination = "late.txt"
  content     = "late\n"
}
