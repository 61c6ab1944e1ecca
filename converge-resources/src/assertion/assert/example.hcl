# A module that says first what it cannot do without.

param "workers" {
  default = 4
}

assert "linux" {
  condition = platform.OS == "linux"
  message   = "this module is for Linux"
}

assert "workers" {
  condition = param.workers >= 1 && param.workers <= 64
  message   = "`workers` is 1 to 64"
}
