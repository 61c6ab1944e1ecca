# One page of the site.

param "path" {}

param "title" {}

param "greeting" {
  default = "Hello"
}

file.content "page" {
  destination = "{{param `path`}}"
  mode        = 0644

  content = <<EOF
<!doctype html>
<title>{{html (param `title`)}}</title>
<h1>{{param `greeting`}} from {{html (param `title`)}}</h1>
EOF
}
