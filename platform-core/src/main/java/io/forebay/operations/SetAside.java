/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.queue.MissingMessages;
import java.util.List;

/**
 * The messages that a damaged queue partition will lose when it is set aside.
 *
 * @param queue the damaged queue
 * @param missing the messages that cannot be read, empty if all can
 */
public record SetAside(String queue, List<MissingMessages> missing) {}
