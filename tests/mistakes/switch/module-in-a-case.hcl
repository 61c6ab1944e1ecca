# expect: ? at 5:5 |module| module

switch "language" {
  case "true" "yes" {
    module "lib/page.hcl" "page" {}
  }
}
