# The module decides by what it is given; the caller reads what came of it.

module "proxy.hcl" "inner" {
  params {
    kind = "cache"
  }
}

module "proxy.hcl" "outer" {
  params {
    kind = "plain"
  }
}

file.content "ports" {
  destination = "ports.txt"
  content     = "{{lookup `module.inner.task.query.port.status.stdout`}} {{lookup `module.outer.task.query.port.status.stdout`}}\n"
}
