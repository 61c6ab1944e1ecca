param "title" {}

module "../../lib/page.hcl" "page" {
  params {
    name = "{{param `title` | printf `%.1s`}}log"
  }
}
