# Maps, also nested ones, from a file of parameters or from the defaults.

param "service" {
  default = {
    name = "web"
    port = 80
  }
}

param "labels" {
  type    = "map"
  default = {}
}

file.content "service" {
  destination = "service.ini"

  content = <<EOF
[service]
{{range $key, $value := paramMap `service`}}{{$key}} = {{$value}}
{{end}}{{if paramMap `labels`}}
[labels]
{{range $key, $value := paramMap `labels`}}{{$key}} = {{$value | printf "%q"}}
{{end}}{{end}}
EOF
}

file.content "name" {
  destination = "name.txt"
  content     = "{{(paramMap `service`).name}}:{{index (paramMap `service`) `port`}}\n"
}

file.content "json" {
  destination = "all.json"
  content     = jsonencode(merge(param.service, { labels = keys(param.labels) }))
}
