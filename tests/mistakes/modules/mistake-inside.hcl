# expect: unknown-field at lib/wrong.hcl:2:3 |destnation| unknown field `destnation`

module "lib/wrong.hcl" "there" {}
