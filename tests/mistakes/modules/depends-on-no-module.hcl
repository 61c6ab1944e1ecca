# expect: ? at 7:18 |"module.strat"| module.strat

module "lib/page.hcl" "start" {}

file.content "after" {
  destination = "after.txt"
  depends     = ["module.strat"]
}
