# expect: template at 19:20 |lookup `switch.language.case.french.file.content.greeting.destination`| `case "french"` of `switch.language` was not taken
# run: plan

switch "language" {
  case "false" "french" {
    file.content "greeting" {
      destination = "salut.txt"
    }
  }

  default {
    file.content "greeting" {
      destination = "hello.txt"
    }
  }
}

file.mode "greeting" {
  destination = "{{lookup `switch.language.case.french.file.content.greeting.destination`}}"
  mode        = 0644
}
