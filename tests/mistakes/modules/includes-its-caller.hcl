# expect: include-cycle at lib/back.hcl:1:1 |module "../includes-its-caller.hcl" "back"| a module calls itself

module "lib/back.hcl" "there" {}
