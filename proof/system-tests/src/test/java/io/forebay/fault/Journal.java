/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.fault.History.Acknowledgement;
import io.forebay.fault.History.Sent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The journal of a process that will be killed: it records what the process sends. Each line is
 * written with one system call before the next step, so it survives the process. Thread-safe.
 */
final class Journal implements AutoCloseable {

  private final FileChannel channel;

  private Journal(FileChannel channel) {
    this.channel = channel;
  }

  static Journal open(Path file) {
    try {
      return new Journal(
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Records statements before they are sent. */
  void invoked(List<Invocation> invocations) {
    write(
        invocations,
        i -> "invoke %d %d %s %s\n".formatted(i.number(), i.attempt(), i.kind(), i.target()));
  }

  /** Records statements that were accepted. */
  void acknowledged(List<Acknowledgement> acknowledgements) {
    write(
        acknowledgements,
        a ->
            "accepted %d %d %d %d\n"
                .formatted(a.number(), a.attempt(), a.place().partition(), a.place().position()));
  }

  /** Records statements that were certainly not accepted. */
  void refused(List<Invocation> invocations) {
    write(invocations, i -> "refused %d\n".formatted(i.number()));
  }

  private synchronized <T> void write(List<T> entries, Function<T, String> line) {
    ByteBuffer bytes =
        StandardCharsets.US_ASCII.encode(entries.stream().map(line).collect(Collectors.joining()));
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  /** Reads journals in the order of their processes; an incomplete last line is ignored. */
  static Sent read(List<Path> files) {
    List<Invocation> invocations = new ArrayList<>();
    List<Acknowledgement> acknowledgements = new ArrayList<>();
    Set<Long> refused = new HashSet<>();
    for (Path file : files) {
      for (String line : wholeLines(file)) {
        String[] words = line.split(" ");
        long number = Long.parseLong(words[1]);
        switch (words[0]) {
          case "invoke" ->
              invocations.add(
                  new Invocation(
                      number, Integer.parseInt(words[2]), Kind.valueOf(words[3]), words[4]));
          case "accepted" ->
              acknowledgements.add(
                  new Acknowledgement(
                      number,
                      Integer.parseInt(words[2]),
                      new Place(Integer.parseInt(words[3]), Long.parseLong(words[4]))));
          case "refused" -> refused.add(number);
          default ->
              throw new IllegalStateException("unexpected line in a journal: '" + line + "'");
        }
      }
    }
    return new Sent(invocations, acknowledgements, refused);
  }

  private static List<String> wholeLines(Path file) {
    try {
      if (Files.notExists(file)) {
        return List.of();
      }
      String text = Files.readString(file, StandardCharsets.US_ASCII);
      return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
