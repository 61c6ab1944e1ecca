# A module of several files, which is named by its folder.
module "web" "web" {
  params {
    port = 8080
  }
}

file.content "summary" {
  destination = "summary.txt"
  content     = "{{lookup `module.web.output.url`}}\n"
}
