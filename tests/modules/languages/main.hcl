# One file, in the language that was asked for. The first case that is true is taken.

param "lang" {
  default = ""
}

switch "language" {
  case "eq (param `lang`) `french`" "french" {
    file.content "greeting" {
      destination = "greeting.txt"
      content     = "Salut tout le monde\n"
    }
  }

  # The way that modules for the original write it.
  case "eq `japanese` `{{param `lang`}}`" "japanese" {
    file.content "greeting" {
      destination = "greeting.txt"
      content     = "皆さん、こんにちは\n"
    }
  }

  case "{{or (eq (param `lang`) `german`) (eq (param `lang`) `austrian`)}}" "german" {
    file.content "greeting" {
      destination = "greeting.txt"
      content     = "Grüß euch\n"
    }

    file.content "umlauts" {
      destination = "umlauts.txt"
      content     = "äöüß\n"
    }
  }

  default {
    file.content "greeting" {
      destination = "greeting.txt"
      content     = "Hello, everyone\n"
    }
  }
}
