# Where values come from: the command line, files, the environment, and the defaults.

param "a" {
  default = "default"
}

param "b" {
  default = "default"
}

param "c" {
  default = "default"
}

param "d" {
  default = "default"
}

file.content "values" {
  destination = "values.txt"
  content     = "a={{param `a`}} b={{param `b`}} c={{param `c`}} d={{param `d`}}\n"
}

file.content "variables" {
  destination = "variables.txt"
  content     = "{{env `CONVERGE_TEST_COLOR`}} [{{env `CONVERGE_TEST_NOTHING`}}]\n"
}

file.content "native" {
  destination = "native.txt"
  content     = format("%s\n", env.CONVERGE_TEST_COLOR)
}
