/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.Collections;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Records every line of a logger at level DEBUG, with exceptions, until closed. */
public final class CapturedLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {

  private final Logger logger;
  private final Level before;
  private final List<String> lines;

  private CapturedLog(Logger logger, List<String> lines) {
    this.logger = logger;
    this.before = logger.getLevel();
    this.lines = Collections.synchronizedList(lines);
  }

  public static CapturedLog of(String name, List<String> lines) {
    CapturedLog log = new CapturedLog((Logger) LoggerFactory.getLogger(name), lines);
    log.logger.setLevel(Level.DEBUG);
    log.logger.addAppender(log);
    log.start();
    return log;
  }

  @Override
  protected void append(ILoggingEvent event) {
    lines.add(
        event.getFormattedMessage()
            + (event.getThrowableProxy() == null
                ? ""
                : ThrowableProxyUtil.asString(event.getThrowableProxy())));
  }

  @Override
  public void close() {
    logger.detachAppender(this);
    logger.setLevel(before);
    stop();
  }
}
