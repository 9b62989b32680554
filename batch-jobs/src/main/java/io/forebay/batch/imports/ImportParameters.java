/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.jdbc.catalogue.CatalogueStatements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.job.parameters.JobParameter;
import org.springframework.batch.core.job.parameters.JobParameters;

/**
 * The parameters of one import.
 *
 * @param file the file itself and not a link to it, with the links in its directory resolved
 * @param statement the statement's name in the catalogue
 * @param rejects the file for rejected records; null for a file named after the job
 */
record ImportParameters(Path file, String statement, RecordFormat format, @Nullable Path rejects) {

  static final String FILE = "file";
  static final String STATEMENT = "statement";
  static final String FORMAT = "format";
  static final String REJECTS = "rejects";
  static final String WAIT = "wait";

  /**
   * @throws ImportRefused if they are invalid; the message lists all violations
   */
  static ImportParameters of(
      JobParameters parameters, ImportSettings settings, CatalogueStatements statements) {
    List<String> wrong = new ArrayList<>();
    Path directory = real(settings.directory()).orElse(null);
    if (directory == null) {
      wrong.add(
          "the directory for imports does not exist (forebay.jobs.import.directory=%s)"
              .formatted(settings.directory()));
    }
    Path file = null;
    String fileName = text(parameters, FILE);
    if (fileName == null) {
      wrong.add("file is missing");
    } else if (directory != null) {
      file =
          path(fileName)
              .flatMap(ImportParameters::realTarget)
              .filter(it -> Files.isRegularFile(it, LinkOption.NOFOLLOW_LINKS))
              .orElse(null);
      if (file == null || !file.startsWith(directory)) {
        wrong.add("file must be the absolute path of a file in " + settings.directory());
      }
    }
    String statement = text(parameters, STATEMENT);
    if (statement == null) {
      wrong.add("statement is missing");
    } else {
      try {
        statements.get(statement);
      } catch (IllegalArgumentException e) {
        wrong.add(e.getMessage());
      }
    }
    RecordFormat format = null;
    String formatName = text(parameters, FORMAT);
    if (formatName != null) {
      format = RecordFormat.of(formatName).orElse(null);
    } else if (fileName != null) {
      format = RecordFormat.ofFile(fileName).orElse(null);
    }
    if (format == null) {
      wrong.add("format must be csv or ndjson if the file name does not end with either");
    }
    Path rejects = null;
    String rejectsName = text(parameters, REJECTS);
    if (rejectsName != null && directory != null) {
      rejects = path(rejectsName).flatMap(ImportParameters::realTarget).orElse(null);
      if (rejects == null || !rejects.startsWith(directory) || rejects.equals(file)) {
        wrong.add("rejects must be the absolute path of a file in " + settings.directory());
      }
    }
    String wait = text(parameters, WAIT);
    if (wait != null && !List.of("true", "false").contains(wait.toLowerCase(Locale.ROOT))) {
      wrong.add("wait must be true or false");
    }
    if (!wrong.isEmpty() || file == null || statement == null || format == null) {
      throw new ImportRefused(String.join("; ", wrong));
    }
    return new ImportParameters(file, statement, format, rejects);
  }

  /** The statement's name in parameters that were already checked. */
  static String statement(JobParameters parameters) {
    return Objects.requireNonNull(text(parameters, STATEMENT));
  }

  /** Whether the job ends when all statements are performed, rather than when all are accepted. */
  static boolean awaitResults(JobParameters parameters) {
    return Boolean.parseBoolean(text(parameters, WAIT));
  }

  private static @Nullable String text(JobParameters parameters, String name) {
    JobParameter<?> parameter = parameters.getParameter(name);
    return parameter == null ? null : String.valueOf(parameter.value());
  }

  private static Optional<Path> path(String text) {
    try {
      return Optional.of(Path.of(text)).filter(Path::isAbsolute);
    } catch (InvalidPathException _) {
      return Optional.empty();
    }
  }

  private static Optional<Path> real(Path path) {
    try {
      return Optional.of(path.toRealPath());
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /** The real path of a file that need not exist and is no link, in a directory that does. */
  private static Optional<Path> realTarget(Path path) {
    Path parent = path.getParent();
    Path name = path.getFileName();
    if (parent == null || name == null || Files.isSymbolicLink(path)) {
      return Optional.empty();
    }
    return real(parent).map(directory -> directory.resolve(name)).map(Path::normalize);
  }
}
