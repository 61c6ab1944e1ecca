# expect: ? at 4:14 |"module.second"| cycle

module "lib/page.hcl" "first" {
  depends = ["module.second"]
}

module "lib/page.hcl" "second" {
  depends = ["module.first"]
}
