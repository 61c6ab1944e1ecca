# Makes a directory with a greeting in it, under the temporary folder.
#
#   cargo run -p converge-cli -- plan examples/hello.hcl
#   cargo run -p converge-cli -- apply -p name=Ada examples/hello.hcl

param "name" {
  default = "World"
}

param "dir" {
  default = "{{or (env `TMPDIR`) `/tmp`}}/converge-hello"
}

file.directory "greetings" {
  destination = "{{param `dir`}}"
}

file.content "greeting" {
  destination = "{{lookup `file.directory.greetings.destination`}}/hello.txt"

  content = <<EOF
Hello, {{param `name`}}!
EOF
}

file.mode "greeting" {
  destination = "{{lookup `file.content.greeting.destination`}}"
  mode        = 0644
}

task.query "date" {
  query = "date +%Y"
}

task "stamp" {
  check   = "test -f '{{param `dir`}}/stamp-{{lookup `task.query.date.status.stdout`}}'"
  apply   = "touch '{{param `dir`}}/stamp-{{lookup `task.query.date.status.stdout`}}'"
  depends = ["file.directory.greetings"]
}
