param "prefix" {}

task "one" {
  check = "test -f {{param `prefix`}}-one"
  apply = "ls {{if eq (param `prefix`) `3-app`}}2*{{else}}1*{{end}} > {{param `prefix`}}-one"
}

task "two" {
  check   = "test -f {{param `prefix`}}-two"
  apply   = "ls {{param `prefix`}}* > {{param `prefix`}}-two"
  depends = ["task.one"]
}
