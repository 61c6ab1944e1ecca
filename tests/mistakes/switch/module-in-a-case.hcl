# expect: misplaced-block at 5:5 |module "lib/page.hcl" "page"| this is a `module`

switch "language" {
  case "true" "yes" {
    module "lib/page.hcl" "page" {}
  }
}
