/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import io.forebay.batch.JobProgress;
import io.forebay.jdbc.catalogue.CatalogueStatements;
import io.forebay.jdbc.catalogue.NamedStatement;
import io.forebay.text.Formats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.ExitStatus;
import org.springframework.batch.core.job.JobInterruptedException;
import org.springframework.batch.core.listener.StepExecutionListener;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.Chunk;
import org.springframework.batch.infrastructure.item.ExecutionContext;
import org.springframework.batch.infrastructure.item.ItemStream;

/**
 * One execution of the step that reads a file and hands over its statements: the reader, processor
 * and writer of the step. For the step's thread.
 *
 * <p>The statements of a chunk are handed over as they are read, so that only one record is in
 * memory at a time, however large. The position behind a chunk is stored only after its bad records
 * are written to the rejects and its statements are accepted. A process that dies before that
 * repeats the chunk: its statements carry the same idempotency keys, and its rejects are truncated
 * before they are written again. Each record therefore takes effect once, or is rejected once.
 */
final class ImportRun implements ItemStream, StepExecutionListener {

  private static final Duration LONGEST_SILENCE = Duration.ofMillis(500);

  private final JobRepository repository;
  private final CatalogueStatements statements;
  private final ImportSettings settings;
  private final Admission admission;
  private final InstantSource clock;
  private final StepExecution step;
  private @Nullable Opened opened;

  /** The state between open and close. */
  private record Opened(
      FileChannel file,
      long size,
      NamedStatement statement,
      ImportState state,
      Records records,
      Rejects rejects,
      HandOver handOver) {}

  ImportRun(
      JobRepository repository,
      CatalogueStatements statements,
      ImportSettings settings,
      Admission admission,
      InstantSource clock,
      StepExecution step) {
    this.repository = repository;
    this.statements = statements;
    this.settings = settings;
    this.admission = admission;
    this.clock = clock;
    this.step = step;
  }

  @Override
  public void open(ExecutionContext context) {
    ImportParameters parameters =
        ImportParameters.of(step.getJobExecution().getJobParameters(), settings, statements);
    NamedStatement statement = statements.get(parameters.statement());
    JobProgress.feeds(context, statement.service());
    try {
      FileChannel file =
          FileChannel.open(parameters.file(), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
      try {
        opened = open(context, parameters, statement, file);
      } finally {
        if (opened == null) {
          file.close();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the file cannot be read", e);
    }
  }

  private Opened open(
      ExecutionContext context,
      ImportParameters parameters,
      NamedStatement statement,
      FileChannel file)
      throws IOException {
    ImportState state = ImportState.of(context);
    long instance = step.getJobExecution().getJobInstance().getInstanceId();
    boolean begins = state == null;
    if (state == null) {
      state = begin(parameters);
    } else {
      mustBeTheSame(file, state);
      mustBeRemembered(state, statement.resultsKept());
    }
    HashedFile hashed = hashed(file, state.content);
    state.content =
        new Admission.Content(hashed.sha256Hex(), hashed.size(), parameters.statement());
    Records records = records(parameters, statement, hashed);
    if (state.offset == 0) {
      state.offset = records.offset();
      state.line = records.line();
    } else {
      records.seek(state.offset, state.line);
    }
    if (begins) {
      state.recognize(file, hashed.size());
    }
    // Store the state before anything is handed over with keys derived from it, and before other
    // imports of this content are looked for: of two that begin at the same time, at
    // least one sees the other.
    state.store(context, hashed.size());
    repository.updateExecutionContext(step);
    admit(context, parameters.file(), state);
    state.store(context, hashed.size());
    repository.updateExecutionContext(step);
    return new Opened(
        file,
        hashed.size(),
        statement,
        state,
        records,
        new Rejects(hashed, state.partial(instance), state.rejectsLength, settings.maxRecord()),
        new HandOver(state.client(instance), new StepWait(repository, step)));
  }

  private void admit(ExecutionContext context, Path file, ImportState state) {
    try {
      admission.admit(
          step.getJobExecution(), file, Objects.requireNonNull(state.content), !state.admitted);
      state.admitted = true;
    } catch (RuntimeException e) {
      if (!state.admitted) {
        ImportState.clear(context);
        repository.updateExecutionContext(step);
      }
      throw e;
    }
  }

  /** Hashes the file; only these bytes are imported. */
  private HashedFile hashed(FileChannel file, Admission.@Nullable Content before)
      throws IOException {
    StepWait waiting = new StepWait(repository, step);
    long[] next = {System.nanoTime() + LONGEST_SILENCE.toNanos()};
    HashedFile hashed =
        new HashedFile(
            file,
            before == null ? 0 : before.size(),
            (bytes, size) -> {
              if (System.nanoTime() - next[0] >= 0) {
                next[0] = System.nanoTime() + LONGEST_SILENCE.toNanos();
                report(waiting, "the SHA-256 of the file is computed");
              }
            });
    waiting.over();
    if (before != null && !before.sha256().equals(hashed.prefixSha256Hex())) {
      throw new ImportRefused(
          "the file was changed since the import began (SHA-256 of its first %,d bytes then: %s, now: %s); restore the original file, or start a new import with another file"
              .formatted(before.size(), before.sha256(), hashed.prefixSha256Hex()));
    }
    return hashed;
  }

  private static void report(StepWait waiting, String what) {
    try {
      waiting.works(what);
    } catch (JobInterruptedException e) {
      throw new IllegalStateException("stopped", e); // Spring Batch looks at the cause
    }
  }

  private ImportState begin(ImportParameters parameters) {
    long now = clock.millis();
    Path rejects = parameters.rejects();
    if (rejects == null) {
      long instance = step.getJobExecution().getJobInstance().getInstanceId();
      rejects = settings.rejects().resolve("import-%d-%d.csv".formatted(instance, now));
    }
    if (Files.exists(rejects, LinkOption.NOFOLLOW_LINKS)) {
      throw new ImportRefused(
          "the file for rejects already exists (%s); name another one".formatted(rejects));
    }
    return ImportState.begin(now, rejects);
  }

  private static void mustBeTheSame(FileChannel file, ImportState state) throws IOException {
    if (file.size() < state.offset) {
      throw new ImportRefused(
          "the file was changed: it has %,d bytes, but %,d were imported; restore the original file, or start a new import with another file"
              .formatted(file.size(), state.offset));
    }
    if (!state.recognizes(file)) {
      throw new ImportRefused(
          "the file was changed in the part that was already read (imported: %,d bytes, up to line %,d); restore the original file, or start a new import with another file"
              .formatted(state.offset, state.line - 1));
    }
  }

  /**
   * Refuses to continue if the keys have expired: statements behind the position may have been
   * performed already.
   */
  private void mustBeRemembered(ImportState state, Duration kept) {
    Instant committed = Instant.ofEpochMilli(state.committedMillis);
    if (committed.plus(kept).isBefore(clock.instant())) {
      throw new ImportRefused(
          "the import was interrupted at %s, longer ago than idempotency keys are kept (results-kept=%s), so some statements after line %,d could be performed twice; find out which were performed and import the rest as another file"
              .formatted(committed, Formats.duration(kept), state.line - 1));
    }
  }

  private Records records(ImportParameters parameters, NamedStatement statement, ReadAt file)
      throws IOException {
    return switch (parameters.format()) {
      case CSV -> {
        CsvRecords records = new CsvRecords(file, settings.maxRecord());
        records.readHeader(statement);
        yield records;
      }
      case NDJSON -> {
        JsonLines records = new JsonLines(file, settings.maxRecord());
        records.skipByteOrderMark();
        yield records;
      }
    };
  }

  /** Reads a record and hands over its statement. */
  @Nullable ImportRecord read() throws IOException, JobInterruptedException {
    Opened now = opened();
    ImportRecord record = now.records.next(now.statement);
    if (record == null || record.complaint() != null) {
      return record;
    }
    return now.handOver.handOver(record)
        ? record.handedOver()
        : record.rejected("is larger than the queue allows");
  }

  /** Rejects an invalid record. */
  @Nullable ImportRecord process(ImportRecord record) throws IOException {
    if (record.complaint() == null) {
      return record;
    }
    Opened now = opened();
    now.rejects.add(record, record.complaint());
    now.state.rejected++;
    return null;
  }

  void write(Chunk<? extends ImportRecord> chunk) throws Exception {
    Opened now = opened();
    now.handOver.awaitAccepted();
    now.state.accepted += chunk.size();
  }

  /** Stores the position: every record of the chunk is accepted or rejected. */
  @Override
  public void update(ExecutionContext context) {
    Opened now = opened();
    ImportState state = now.state;
    try {
      state.offset = now.records.offset();
      state.line = now.records.line();
      state.rejectsLength = now.rejects.force();
      state.recognize(now.file, state.offset);
      state.committedMillis = clock.millis();
      state.store(context, now.size);
    } catch (IOException e) {
      throw new UncheckedIOException("the position in the file cannot be stored", e);
    }
  }

  @Override
  public ExitStatus afterStep(StepExecution execution) {
    return opened == null
        ? execution.getExitStatus()
        : execution.getExitStatus().addExitDescription(figures(opened.state));
  }

  private String figures(ImportState state) {
    return state.figures(state.partial(step.getJobExecution().getJobInstance().getInstanceId()));
  }

  @Override
  public void close() {
    if (opened != null) {
      try (FileChannel _ = opened.file;
          Rejects _ = opened.rejects;
          HandOver _ = opened.handOver) {
        opened = null;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private Opened opened() {
    return Objects.requireNonNull(opened, "the step is not open");
  }
}
