# A page with a content and permissions. A new file is written beside its place and moved there, so that nobody ever sees half of it.

param "folder" {
  default = "/tmp"
}

file.content "page" {
  destination = "{{param `folder`}}/converge-page.html"
  content     = "<h1>Hello</h1>\n"
  mode        = 0644
}
