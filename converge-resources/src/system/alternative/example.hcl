# A program of ours is what `pager` leads to.

param "program" {
  default = "/bin/cat"
}

system.alternative "pager" {
  name     = "pager"
  path     = param.program
  link     = "/usr/bin/pager"
  priority = 10
}
