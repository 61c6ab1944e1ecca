# expect: ? at 6:27 |`module.start.file.content.pgae.destination`| file.content.pgae

module "lib/page.hcl" "start" {}

file.mode "page" {
  destination = "{{lookup `module.start.file.content.pgae.destination`}}"
  mode        = 0644
}
