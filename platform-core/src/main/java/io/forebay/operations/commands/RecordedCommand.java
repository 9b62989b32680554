/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.commands;

import io.forebay.operations.Audit;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The texts of an audit entry that have several parts, and the parts of an entry that was read.
 * Each text is written and read here.
 */
public final class RecordedCommand {

  private static final Pattern GROUP =
      Pattern.compile(
          "(?<kind>failed|dead) (?<error>\\S+) of (?<object>.+?)(?: \\((?<cause>.*)\\))?, (?<messages>[\\d,]+) messages?");
  private static final Pattern IMPORT =
      Pattern.compile("(?<object>\\S+) sha256:\\p{XDigit}+ (?:.*/)?(?<file>[^/]+)", Pattern.DOTALL);
  private static final Pattern JOB_STARTED =
      Pattern.compile("(?<object>\\S+) \\{(?<given>.*)}", Pattern.DOTALL);
  private static final Pattern REPLAY_ENDED =
      Pattern.compile(
          "(?<state>\\w+): (?<sent>[\\d,]+) of (?<count>[\\d,]+) sent, (?<done>[\\d,]+) performed, (?<failed>[\\d,]+) failed again(?:\\. (?<why>.*))?",
          Pattern.DOTALL);
  private static final Pattern ALREADY_SO =
      Pattern.compile("refused: already (?:paused|limited) by (?<by>.+) since (?<since>\\S+Z)");
  private static final Pattern DONE =
      Pattern.compile(Audit.ALLOWED + "(?:, (?<note>(?!until ).+?))?(?:, until (?<until>\\S+Z))?");

  private RecordedCommand() {}

  /**
   * The target of a command to a group of failures.
   *
   * @param kind failed or dead
   * @param cause with a space before it and in parentheses; or empty
   */
  public static String group(
      String kind, String error, String service, String cause, int messages) {
    return "%s %s of %s%s, %s".formatted(kind, error, service, cause, messages(messages));
  }

  /** {@code 1 message} or {@code 1,252 messages}. */
  public static String messages(int count) {
    return String.format(Locale.ROOT, "%,d %s", count, count == 1 ? "message" : "messages");
  }

  /**
   * The target of an import.
   *
   * @param sha256 of the file, in hexadecimal digits
   */
  public static String imported(String statement, String sha256, String path) {
    return "%s sha256:%s %s".formatted(statement, sha256, path);
  }

  /**
   * The target of the start of a job.
   *
   * @param parameters may be empty
   */
  public static String started(String job, Map<String, ? extends @Nullable String> parameters) {
    return parameters.isEmpty() ? job : job + " " + parameters;
  }

  /**
   * The outcome of a replay that ended.
   *
   * @param why a sentence; or empty
   */
  public static String replayEnded(
      String state, int sent, int count, int done, int failed, String why) {
    String outcome =
        String.format(
            Locale.ROOT,
            "%s: %,d of %,d sent, %,d performed, %,d failed again",
            state,
            sent,
            count,
            done,
            failed);
    return why.isEmpty() ? outcome : outcome + ". " + why;
  }

  /** The outcome of a pause that another one prevents. */
  public static String alreadyPaused(String by, Instant since) {
    return "refused: already paused by %s since %s"
        .formatted(by, since.truncatedTo(ChronoUnit.SECONDS));
  }

  /** The outcome of a limit. */
  public static String limited(int perSecond) {
    return String.format(Locale.ROOT, "%s, %,d per second", Audit.ALLOWED, perSecond);
  }

  /** The outcome of a limit that another one prevents. */
  public static String alreadyLimited(String by, Instant since) {
    return "refused: already limited by %s since %s"
        .formatted(by, since.truncatedTo(ChronoUnit.SECONDS));
  }

  /** The outcome of a command that is in effect until a time. */
  public static String until(String outcome, Instant until) {
    return outcome + ", until " + until.truncatedTo(ChronoUnit.SECONDS);
  }

  /**
   * The parts of an entry: {@code kind} and {@code object} of an alert; {@code kind}, {@code
   * object}, {@code error}, {@code cause} and {@code messages} of a group of failures, and how its
   * replay ended; {@code object} (the statement) and {@code file} (its name) of an import; {@code
   * object} and {@code given} (its parameters) of a job; {@code object}, {@code partition} and
   * {@code position}; {@code note} and {@code until} of an outcome; {@code by} and {@code since} of
   * the pause that prevented one. Empty if target and outcome have no parts.
   */
  public static SequencedMap<String, Object> parts(Audit.Entry entry) {
    SequencedMap<String, Object> parts = new LinkedHashMap<>();
    String action = entry.action();
    String target = entry.target();
    if (action.startsWith("alert.")) {
      putParts(parts, target.split("~", 2), "kind", "object");
    } else if (action.startsWith("failures.")) {
      put(parts, GROUP.matcher(target), "kind", "object", "error", "cause");
      putNumbers(parts, GROUP.matcher(target), "messages");
    } else if (action.equals("job.import")) {
      put(parts, IMPORT.matcher(target), "object", "file");
    } else if (action.equals("job.start")) {
      put(parts, JOB_STARTED.matcher(target), "object", "given");
    } else if (action.equals("service.fail-message") || action.equals("service.set-aside")) {
      putParts(parts, target.split("/"), "object", "partition", "position");
    }
    String outcome = entry.outcome();
    put(parts, DONE.matcher(outcome), "note", "until");
    put(parts, ALREADY_SO.matcher(outcome), "by", "since");
    put(parts, REPLAY_ENDED.matcher(outcome), "state", "why");
    putNumbers(parts, REPLAY_ENDED.matcher(outcome), "sent", "count", "done", "failed");
    return parts;
  }

  private static void put(SequencedMap<String, Object> to, Matcher from, String... names) {
    if (from.matches()) {
      for (String name : names) {
        @Nullable String value = from.group(name);
        if (value != null) {
          to.put(name, value);
        }
      }
    }
  }

  private static void putNumbers(SequencedMap<String, Object> to, Matcher from, String... names) {
    if (from.matches()) {
      for (String name : names) {
        to.put(name, Long.parseLong(from.group(name).replace(",", "")));
      }
    }
  }

  private static void putParts(SequencedMap<String, Object> to, String[] values, String... names) {
    for (int i = 0; values.length > 1 && i < values.length && i < names.length; i++) {
      to.put(names[i], values[i]);
    }
  }
}
