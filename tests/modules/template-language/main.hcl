# More of what templates can do.

param "pairs" {
  default = "a=1,b=2,c=3"
}

file.content "table" {
  destination = "table.txt"

  content = <<EOF
{{- define "row"}}{{$p := split "=" .}}| {{index $p 0 | printf "%-3s"}} | {{index $p 1 | printf "%3s"}} |{{end}}
{{- /* a comment is not in the file */}}
{{- range $i, $pair := param `pairs` | split ","}}
  {{- if $i}}
{{end}}
  {{- template "row" $pair}}
{{- end}}
EOF
}

file.content "sums" {
  destination = "flags.txt"

  content = <<EOF
{{$found := false}}{{range split "," (param `pairs`)}}{{if eq . "b=2"}}{{$found = true}}{{break}}{{end}}{{end -}}
found: {{$found}}
{{with param `pairs`}}{{len .}} characters{{else}}nothing{{end}}
{{printf "%05d|%-6q|%x|%t" 42 "q" "hi" (lt 1 2)}}
{{html "<b>"}} {{urlquery "a b"}} {{slice (param `pairs`) 4 7}}
{{block "end" "fin"}}-- {{.}} --{{end}}
EOF
}
