# A list, in every way that it can be written into a file.

param "hosts" {
  default = ["alpha", "beta", "gamma"]
}

file.content "joined" {
  destination = "joined.txt"
  content     = "{{paramList `hosts` | join `, `}}\n"
}

file.content "lines" {
  destination = "lines.txt"

  content = <<EOF
{{range $i, $host := paramList `hosts`}}{{$i}} {{$host}}
{{else}}none
{{end}}{{len (paramList `hosts`)}} in all
EOF
}

file.content "json" {
  destination = "hosts.json"
  content     = "{{paramList `hosts` | jsonify}}"
}

file.content "first" {
  destination = "first.txt"
  content     = "{{with paramList `hosts`}}{{index . 0}}{{else}}nobody{{end}}\n"
}

# The same with expressions.
file.content "upper" {
  destination = "upper.txt"
  content     = join("", [for host in param.hosts : format("%s\n", upper(host)) if host != "beta"])
}
