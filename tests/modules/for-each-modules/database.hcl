param "name" {
  type = "string"
}

param "port" {
  type = "number"
}

param "replicas" {
  type    = "list"
  default = []
}

file.content "config" {
  destination = "{{param `name`}}.conf"
  content     = "port = {{param `port`}}\n"
}

file.content "replica" {
  for_each    = toset(param.replicas)
  destination = "{{param `name`}}-{{each.key}}.conf"
  content     = "primary = {{param `name`}}:{{param `port`}}\n"
}
