# expect: unknown-resource at 6:27 |`module.start.file.content.pgae.destination`| which does not exist

module "lib/page.hcl" "start" {}

file.mode "page" {
  destination = "{{lookup `module.start.file.content.pgae.destination`}}"
  mode        = 0644
}
