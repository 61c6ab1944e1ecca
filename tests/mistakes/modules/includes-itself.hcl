# expect: ? at 3:8 |"includes-itself.hcl"| itself

module "includes-itself.hcl" "again" {}
