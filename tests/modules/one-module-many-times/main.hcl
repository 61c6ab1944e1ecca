# The same module for each member of a team, and a summary when all of them are there.

module "member.hcl" "ada" {
  params {
    name  = "ada"
    shell = "zsh"
  }
}

module "member.hcl" "grace" {
  params = {
    name = "grace"
  }
}

module "member.hcl" "alan" {
  params {
    "name" = "alan"
    keys   = ["k1", "k2"]
  }
}

file.content "team" {
  destination = "team.txt"

  content = <<EOF
{{lookup `module.ada.file.content.profile.destination`}}
{{lookup `module.grace.file.content.profile.destination`}}
{{lookup `module.alan.file.content.profile.destination`}}
EOF
}

# What a module was given can be looked up too.
file.content "shell" {
  destination = "shell.txt"
  content     = "{{lookup `module.ada.params.shell`}}\n"
}
