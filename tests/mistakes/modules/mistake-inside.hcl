# expect: ? at lib/wrong.hcl:2:3 |destnation| destnation

module "lib/wrong.hcl" "there" {}
