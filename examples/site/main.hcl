# A small web site under the temporary folder: a module for each page, and a greeting in the language of choice.
#
#   cargo run -p converge-cli -- apply examples/site/main.hcl
#   cargo run -p converge-cli -- apply -p lang=french examples/site/main.hcl

param "lang" {
  default     = "english"
  description = "The language of the greeting."

  validation {
    condition = contains(["english", "french", "german"], param.lang)
    message   = "the greeting is english, french or german"
  }
}

param "pages" {
  type = "map"

  default = {
    index = "Home"
    about = "About us"
  }
}

param "dir" {
  default = "{{or (env `TMPDIR`) `/tmp`}}/converge-site"
}

file.directory "site" {
  destination = param.dir
}

switch "language" {
  case "eq (param `lang`) `french`" "french" {
    task.query "greeting" {
      query = "printf Bonjour"
    }
  }

  case "eq (param `lang`) `german`" "german" {
    task.query "greeting" {
      query = "printf 'Guten Tag'"
    }
  }

  default {
    task.query "greeting" {
      query = "printf Hello"
    }
  }
}

module "page.hcl" "page" {
  for_each = param.pages

  params {
    path     = format("%s/%s.html", file.directory.site.destination, each.key)
    title    = each.value
    greeting = "{{lookup `task.query.greeting.status.stdout`}}"
  }
}

file.content "map" {
  destination = format("%s/map.txt", file.directory.site.destination)
  content     = join("", [for name, title in param.pages : format("%s.html: %s\n", name, title)])
}
