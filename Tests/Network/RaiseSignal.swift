import Glibc

/// SIGUSR1 for this process.
func raiseUserSignal() { kill(getpid(), SIGUSR1) }
