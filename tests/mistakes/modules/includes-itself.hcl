# expect: include-cycle at 3:8 |"includes-itself.hcl"| a module calls itself

module "includes-itself.hcl" "again" {}
