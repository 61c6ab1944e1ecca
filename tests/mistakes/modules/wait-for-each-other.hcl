# expect: cycle at 4:14 |"module.second"| resources wait for each other: module.first -> module.second -> module.first

module "lib/page.hcl" "first" {
  depends = ["module.second"]
}

module "lib/page.hcl" "second" {
  depends = ["module.first"]
}
