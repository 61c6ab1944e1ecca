# Starts a service in the background, and goes on once it accepts connections.
param "port" {
  default = 8080
}

task "service" {
  check = "kill -0 $(cat /tmp/service.pid)"

  apply = <<EOT
    setsid perl -MIO::Socket::INET -e '
      my $socket = IO::Socket::INET->new(LocalPort => {{param `port`}}, Listen => 5) or die;
      $socket->accept while 1;
    ' </dev/null >/dev/null 2>&1 &
    echo $! > /tmp/service.pid
EOT
}

wait.port "service" {
  host      = "localhost"
  port      = param.port
  interval  = "200ms"
  max_retry = 50

  depends = ["task.service"]
}
