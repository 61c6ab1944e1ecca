# expect: ? at 3:1 |module "lib/titled.hcl" "start"| title

module "lib/titled.hcl" "start" {}
