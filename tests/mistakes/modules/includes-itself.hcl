# expect: include-cycle at 3:1 |module "includes-itself.hcl" "again"| a module calls itself

module "includes-itself.hcl" "again" {}
