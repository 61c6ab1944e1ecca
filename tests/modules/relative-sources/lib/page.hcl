param "name" {}

module "./footer.hcl" "footer" {
  params {
    path = "{{param `name`}}.footer"
  }
}

file.content "page" {
  destination = "{{param `name`}}.html"
  content     = "<h1>{{param `name`}}</h1>\n"
}
