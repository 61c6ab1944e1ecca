# A resource of a type that a plugin brings: converge plan examples/plugin-python/site.hcl --plugin-dir examples/plugin-python
param "path" {
  default = "/tmp/greeting"
}

greeting "you" {
  path  = "{{param `path`}}"
  name  = "Ada"
  times = 2
}
