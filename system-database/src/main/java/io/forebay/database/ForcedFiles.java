/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.hsqldb.lib.EventLogInterface;
import org.hsqldb.lib.FileAccess;
import org.hsqldb.lib.SimpleLog;
import org.hsqldb.persist.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The files of an HSQLDB database. A failure to write or force them is final: the affected commit
 * and every later one throw {@link IllegalStateException}, and no file is changed any more.
 *
 * <p>HSQLDB alone would log the failure and report the commit as successful. Data that was not
 * forced may be missing after a restart. The operating system may mark pages as clean although
 * writing them failed, so a second attempt proves nothing.
 *
 * <p>HSQLDB writes the rows of cached tables ({@code .data}) and copies of pages that it is about
 * to change ({@code .backup}) without {@link FileAccess}, and repeats a force that failed. So this
 * class forces both again, through descriptors that it opened earlier: Linux reports a failed write
 * to each descriptor that was open when it happened. This is done
 *
 * <ul>
 *   <li>before the first commit after HSQLDB extended {@code .backup}, and
 *   <li>before HSQLDB writes {@code .properties}. A checkpoint does so before it deletes the log
 *       and {@code .backup}. So after a crash or a failure at any moment of a checkpoint, there are
 *       either both of them or the complete data.
 * </ul>
 *
 * <p>What HSQLDB could not write or read, it reports as a severe event, and may have lost rows in
 * memory. Such an event is final, too, and closes {@code .data}, because what HSQLDB wrote after a
 * failed checkpoint would make {@code .backup} useless.
 *
 * <p>Thread-safe.
 */
final class ForcedFiles implements FileAccess, AutoCloseable {

  private static final String DATA = ".data";
  private static final String NEW_DATA = ".data.new";
  private static final String BACKUP = ".backup";
  private static final String LOG = ".log";
  private static final String PROPERTIES = ".properties";

  private final FileAccess files;
  private final String name;
  private volatile @Nullable IOException failure;
  private volatile @Nullable Thread closing;
  private Held data;
  private @Nullable Held newData;
  private @Nullable Held backup;
  private long forcedBackup;
  private volatile boolean stopped;

  /**
   * @param name the beginning of the names of all files, which HSQLDB has not opened yet
   */
  ForcedFiles(FileAccess files, String name) throws IOException {
    this.files = files;
    this.name = name;
    if (backupLength() == 0) {
      files.removeElement(name + BACKUP); // as HSQLDB would have left it: see hold
    }
    data = new Held(name + DATA);
  }

  /** Takes the place of HSQLDB's access to its files and of its log of events. */
  void guard(Logger hsqldb) {
    hsqldb.fileAccess = this;
    hsqldb.appLog = new Events(hsqldb);
  }

  /**
   * @throws IllegalStateException if a file could not be written or forced
   */
  void mustWork() {
    IOException cause = failure;
    if (cause != null) {
      throw failed(cause);
    }
  }

  boolean isFailed() {
    return failure != null;
  }

  /**
   * Discards all further writes of the calling thread, so that it can close a database whose files
   * have failed. Writes of other threads still throw.
   */
  void abandon() {
    closing = Thread.currentThread();
  }

  private boolean isAbandoned() {
    return Thread.currentThread().equals(closing);
  }

  private static IllegalStateException failed(IOException cause) {
    return new IllegalStateException(
        "The embedded database could not write its files ("
            + cause.getMessage()
            + "); repair the disk, then restart, which performs unconfirmed statements again",
        cause);
  }

  private IllegalStateException fail(IOException cause) {
    if (failure == null) {
      failure = cause;
    }
    return failed(cause);
  }

  /**
   * Opens the descriptors again: a checkpoint deletes {@code .backup}, and may replace the data.
   */
  private synchronized void hold() throws IOException {
    Held former = data;
    data = newData == null ? new Held(name + DATA) : newData;
    newData = null;
    former.close();
    if (backup != null) {
      backup.close();
    }
    backup = new Held(name + BACKUP); // HSQLDB takes an empty one as its own
    forcedBackup = 0;
  }

  /** Opens the file to which HSQLDB is about to copy all rows, to replace the data. */
  private synchronized void holdNewData() throws IOException {
    newData = new Held(name + NEW_DATA);
  }

  private synchronized void forceData() throws IOException {
    data.force();
    if (newData != null) {
      newData.force();
    }
  }

  /** Forces the copies of pages that HSQLDB has begun to change, and the mark that it did. */
  private synchronized void forceChanges() throws IOException {
    long length = backupLength();
    if (backup != null && length != forcedBackup) {
      backup.force();
      if (forcedBackup == 0) {
        data.force();
      }
      forcedBackup = length;
    }
  }

  private long backupLength() {
    return new File(name + BACKUP).length();
  }

  @Override
  public OutputStream openOutputStreamElement(String file) {
    return output(() -> {
      if (file.startsWith(name + PROPERTIES)) {
        forceData();
      }
      return files.openOutputStreamElement(file);
    });
  }

  @Override
  public OutputStream openOutputStreamElementAppend(String file) {
    return output(() -> {
      if (file.equals(name + LOG)) {
        hold();
      }
      return files.openOutputStreamElementAppend(file);
    });
  }

  /** After a failure HSQLDB gets a stream that refuses: without a log, it would log nothing. */
  private Output output(Opening opening) {
    if (!isFailed()) {
      try {
        OutputStream stream = opening.open();
        return new Output(stream, files.getFileSync(stream));
      } catch (IOException e) {
        fail(e);
      }
    }
    return new Output(OutputStream.nullOutputStream(), () -> {});
  }

  @Override
  public FileSync getFileSync(OutputStream stream) throws IOException {
    if (!(stream instanceof Output output)) {
      throw new IOException("not a stream of the embedded database's files");
    }
    return output::sync;
  }

  @Override
  public InputStream openInputStreamElement(String file) throws IOException {
    return files.openInputStreamElement(file);
  }

  @Override
  public boolean isStreamElement(String file) {
    return files.isStreamElement(file);
  }

  @Override
  public void createParentDirs(String file) {
    files.createParentDirs(file);
  }

  @Override
  public boolean removeElement(String file) {
    return isFailed() || files.removeElement(file);
  }

  @Override
  public boolean renameElement(String from, String to) {
    return isFailed() || files.renameElement(from, to);
  }

  @Override
  public boolean renameElementOrCopy(String from, String to, EventLogInterface log) {
    return isFailed() || files.renameElementOrCopy(from, to, log);
  }

  @Override
  public synchronized void close() throws IOException {
    data.close();
    if (newData != null) {
      newData.close();
    }
    if (backup != null) {
      backup.close();
    }
  }

  private interface Opening {
    OutputStream open() throws IOException;
  }

  /** A descriptor of a file that HSQLDB writes through another one. */
  private final class Held {

    private final OutputStream stream;
    private final FileSync sync;

    Held(String file) throws IOException {
      stream = files.openOutputStreamElementAppend(file);
      sync = files.getFileSync(stream);
    }

    void force() throws IOException {
      sync.sync();
    }

    void close() throws IOException {
      stream.close();
    }
  }

  /** HSQLDB's log of events, which it calls whatever its level is. */
  private final class Events extends SimpleLog {

    private final Logger hsqldb;

    Events(Logger hsqldb) {
      super(null, LOG_NONE, false);
      this.hsqldb = hsqldb;
    }

    @Override
    public void logContext(Throwable cause, String message, int level) {
      if (level == LOG_ERROR) {
        stop(new IOException(message + ": " + cause, cause));
      }
    }

    @Override
    public void logContext(int level, String message) {
      boolean onlyOfSpace = message.startsWith("space manager error - recovered");
      if (level == LOG_ERROR && !onlyOfSpace) {
        stop(new IOException(message));
      } else if (message.equals("defrag start")) {
        try {
          holdNewData();
        } catch (IOException e) {
          stop(e);
        }
      }
    }

    private void stop(IOException cause) {
      boolean first = !stopped;
      stopped = true;
      fail(cause);
      if (first && hsqldb.hasCache()) {
        hsqldb.getCache().release();
      }
    }
  }

  private final class Output extends OutputStream {

    private final OutputStream stream;
    private final FileSync sync;

    Output(OutputStream stream, FileSync sync) {
      this.stream = stream;
      this.sync = sync;
    }

    @Override
    public void write(int b) {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      perform(() -> stream.write(bytes, offset, length));
    }

    void sync() {
      perform(() -> {
        forceChanges();
        sync.sync();
      });
    }

    private void perform(FileSync action) {
      if (isAbandoned()) {
        return;
      }
      mustWork();
      try {
        action.sync();
      } catch (IOException e) {
        throw fail(e);
      }
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }
}
